/** What the page and its worker say to each other. */

import type { NetworkConfig } from "../network/config";
import type { Tape } from "../tasks/tape";

export interface LoadRequest {
  readonly kind: "load";
  readonly config: NetworkConfig;
  readonly symbols: number;
  readonly weights: ArrayBuffer;
}

/** Compute the states from a tape's first one, or from a given state of a given step, on. */
export interface RunRequest {
  readonly kind: "run";
  /** Answers carry the number of the run they belong to, so that those of an abandoned run can be told apart. */
  readonly run: number;
  readonly tape: Tape;
  readonly steps: number;
  readonly from?: { readonly step: number; readonly state: Float32Array };
}

export type Request = LoadRequest | RunRequest;

export interface StateAnswer {
  readonly kind: "state";
  readonly run: number;
  readonly step: number;
  readonly state: Float32Array;
  readonly symbols: Tape;
}

export interface FailedAnswer {
  readonly kind: "failed";
  readonly message: string;
}

export type Answer = StateAnswer | FailedAnswer;
