/** The page's tasks are those of Python: the same tapes, answers and complaints. */

import { expect, test } from "vitest";
import { UserError } from "../src/errors";
import { openTask } from "../src/tasks/registry";
import type { Task } from "../src/tasks/task";
import { preparedJson } from "./environment";

interface Example {
  task: string;
  alphabet: string;
  tape_config: { per_symbol: number; extra: number; fill: string | null };
  text: string;
  tape: number[];
  target: number[];
  answer: string;
  read: string;
  explanation: string | null;
}

interface Complaint {
  task: string;
  alphabet: string;
  text: string;
  complaint: string;
}

interface Stress {
  task: string;
  alphabet: string;
  size: number;
  /** Inputs by name; a question mark stands for a symbol that is random. */
  inputs: Record<string, string>;
}

const { examples, complaints, stress } = preparedJson<{
  examples: Example[];
  complaints: Complaint[];
  stress: Stress[];
}>("tasks.json");

function plain(name: string, alphabet: string): Task {
  return openTask(name, alphabet, { perSymbol: 2, extra: 0, fill: null });
}

test.each(examples)("$task of $text", (example) => {
  const { per_symbol: perSymbol, extra, fill } = example.tape_config;
  const task = openTask(example.task, example.alphabet, { perSymbol, extra, fill });
  expect(Array.from(task.encode(example.text))).toEqual(example.tape);
  expect(Array.from(task.encodeAnswer(example.text) ?? [])).toEqual(example.target);
  expect(task.answer(example.text)).toBe(example.answer);
  expect(task.read(Uint8Array.from(example.target))).toBe(example.read);
  expect(task.explain(example.text, example.answer)).toBe(example.explanation);
});

test.each(complaints)("$task complains of '$text' as Python does", ({ task, alphabet, text, complaint }) => {
  expect(() => plain(task, alphabet).size(text)).toThrow(new UserError(complaint));
});

test.each([
  ["badd", "01+"],
  ["bmul", "01*"],
  ["mul7", "0123456*"],
  ["add", "0123456789+"],
  ["copy", "01"],
  ["reverse", "01"],
  ["duplicate", "01"],
  ["sort", "01"],
  ["one", "x"],
  ["letters", "abc"],
  ["pictures", "🙂🙃é"],
])("random and stress inputs of %s are inputs", (name, alphabet) => {
  const task = plain(name, alphabet);
  for (const size of [1, 2, 7, 200]) {
    expect(task.size(task.random(size, Math.random))).toBe(size);
    for (const text of task.stress(size, Math.random).values()) expect(task.size(text)).toBe(size);
  }
});

test.each(stress)("stress inputs of $task with size $size are those of Python", ({ task, alphabet, size, inputs }) => {
  const ours = Array.from({ length: 400 }, () => plain(task, alphabet).stress(size, Math.random));
  const masks = Object.keys(inputs).map((name) => [name, common(ours.map((draw) => draw.get(name) ?? ""))]);
  expect([...ours[0].keys()]).toEqual(Object.keys(inputs));
  expect(Object.fromEntries(masks)).toEqual(inputs);
});

/** A text with a question mark wherever these differ. */
function common(texts: readonly string[]): string {
  const symbol = (i: number) => (texts.every((text) => text[i] === texts[0][i]) ? texts[0][i] : "?");
  return Array.from(texts[0], (_, i) => symbol(i)).join("");
}

test("equal operands are equal, and palindromes read the same backwards", () => {
  const inputs = plain("mul7", "0123456*").stress(11, Math.random);
  const [x, y] = (inputs.get("equal operands") ?? "").split("*");
  const [mirrored, again] = (inputs.get("palindromes") ?? "").split("*");
  expect(x).toBe(y);
  expect(mirrored).toBe(again);
  expect(Array.from(mirrored).reverse().join("")).toBe(mirrored);
  expect(inputs.get("palindrome with anything")?.split("*")[0]).toBe(mirrored);
});

test("a shorter operand is filled up at its most significant end", () => {
  const task = plain("badd", "01+");
  expect(task.mend("1+011")).toBe("100+011");
  expect(task.mend("11+01")).toBeNull();
  expect(task.mend("1+2")).toBeNull();
  expect(task.mend("1+1+1")).toBeNull();
});

test.each(["", "bad", "add1", "mul11", "badd3", "qsort"])("'%s' is a task that the page does not know", (name) => {
  const task = plain(name, "abc");
  expect(task.isKnown).toBe(false);
  expect(task.answer("cab")).toBeNull();
});

test("a symbol may take two units of UTF-16", () => {
  const task = plain("pictures", "🙂🙃é");
  expect(Array.from(task.encode("🙃é"))).toEqual([2, 3, 0, 0]);
  expect(task.read(Uint8Array.from([2, 0, 1, 0]))).toBe("🙃 🙂");
});

test.each([
  [[1, 2, 1, 1], "01"],
  [[1, 1, 1, 1], "0"],
  [[2, 0, 0, 0], "1"],
  [[2, 0, 1, 0], "1"],
])("the fill after an answer is not read: %j", (tape, text) => {
  const task = openTask("badd", "01+", { perSymbol: 1, extra: 0, fill: "0" });
  expect(task.read(Uint8Array.from(tape))).toBe(text);
});

test("an answer that the tape is too short for is told", () => {
  const task = openTask("duplicate", "01", { perSymbol: 1, extra: 1, fill: null });
  expect(() => task.encodeAnswer("011")).toThrow("the answer of duplicate to '011' has 6 symbols and the tape 4 cells");
});
