/** The error for what the visitor can mend: says what is wrong and what would be right, and is shown as it is. */
export class UserError extends Error {
  override name = "UserError";
}

/** What to show of anything that was thrown: a sentence. */
export function message(error: unknown): string {
  if (error instanceof UserError) return sentence(error.message);
  return `This should not have happened: ${error instanceof Error ? error.message : String(error)}. Please report it.`;
}

/** A text with the capital letter and the full stop of a sentence. */
export function sentence(text: string): string {
  const startsWithWord = /^[a-z]+[ ,]/.test(text); // and not with the name of a file
  return `${startsWithWord ? text[0].toUpperCase() + text.slice(1) : text}${/[.?]$/.test(text) ? "" : "."}`;
}
