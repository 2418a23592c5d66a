/** The page's tasks are those of Python: the same tapes, answers and complaints. */

import { expect, test } from "vitest";
import { UserError } from "../src/errors";
import { getTask } from "../src/tasks/registry";
import type { Task } from "../src/tasks/task";
import { preparedJson } from "./environment";

interface Example {
  task: string;
  slack: number;
  stretch: number;
  zero_fill: boolean;
  text: string;
  tape: number[];
  target: number[];
  answer: string;
  explanation: string | null;
}

interface Complaint {
  task: string;
  text: string;
  complaint: string;
}

const { examples, complaints } = preparedJson<{ examples: Example[]; complaints: Complaint[] }>("tasks.json");
const PLAIN = { slack: 0, stretch: 0, zeroFill: false };

test.each(examples)("$task of $text", (example) => {
  const { slack, stretch, zero_fill: zeroFill } = example;
  const task = getTask(example.task, { slack, stretch, zeroFill });
  expect(Array.from(task.encode(example.text))).toEqual(example.tape);
  expect(Array.from(task.encodeAnswer(example.text))).toEqual(example.target);
  expect(task.answer(example.text)).toBe(example.answer);
  expect(task.read(Uint8Array.from(example.target))).toBe(example.answer);
  expect(task.explain(example.text, example.answer)).toBe(example.explanation);
});

test.each(complaints)("$task complains of '$text' as Python does", ({ task, text, complaint }) => {
  expect(() => getTask(task, PLAIN).size(text)).toThrow(new UserError(complaint));
});

test.each(["badd", "bmul", "mul7", "add", "copy", "reverse", "duplicate", "sort"])(
  "random and stress inputs of %s are inputs",
  (name) => {
    const task: Task = getTask(name, PLAIN);
    for (const size of [1, 2, 7, 200]) {
      expect(task.size(task.random(size, Math.random))).toBe(size);
      for (const text of task.stress(size, Math.random).values()) expect(task.size(text)).toBe(size);
    }
  },
);

test("a shorter operand is filled up at its most significant end", () => {
  const task = getTask("badd", PLAIN);
  expect(task.mend("1+011")).toBe("100+011");
  expect(task.mend("11+01")).toBeNull();
  expect(task.mend("1+2")).toBeNull();
  expect(task.mend("1+1+1")).toBeNull();
});

test.each(["", "bad", "add1", "mul11", "badd3", "qsort"])("'%s' is no task", (name) => {
  expect(() => getTask(name, PLAIN)).toThrow(/unknown task .* this page knows badd/);
});
