/** Searches that join two rankings, one by words and one by vectors. */

/** How many rows a search compares one by one, at most; of more an index finds the nearest. */
export const EXACT_SCAN_LIMIT = 5_000

/** The constant of reciprocal rank fusion: the larger, the less the first places weigh more than the next. */
export const FUSION = 60

/** How many hits each ranking gives to the fusion, for a page of `limit`. */
export const depthOf = (limit: number) => (limit <= 50 ? 100 : 200)
