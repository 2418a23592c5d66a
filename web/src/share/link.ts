/** The link that carries what is shown: the network, the input and the step. */

import { UserError } from "../errors";

export interface Shared {
  readonly network?: string;
  readonly task?: string;
  readonly input?: string;
  readonly step?: number;
}

export function readLink(hash: string): Shared {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const step = values.get("step");
  if (step !== null && !/^\d{1,6}$/.test(step)) {
    throw new UserError(`the link has step '${step}'; it must be a whole number from 0 on`);
  }
  return {
    network: values.get("network") ?? undefined,
    task: values.get("task") ?? undefined,
    input: values.get("input") ?? undefined,
    step: step === null ? undefined : Number(step),
  };
}

export function writeLink({ network, input, step }: { network: string; input: string; step: number }): string {
  return `#${new URLSearchParams({ network, input, step: String(step) })}`;
}
