/** The reason of the signal of a run that a caller has cancelled. */
export class CancelledError extends Error {}

/** The reason of the signals of all runs when the server stops: another server, or the next start, carries them on. */
export class StoppingError extends Error {}

/** Thrown when another server carries out the run: this server stops without a word. */
export class LostRunError extends Error {}
