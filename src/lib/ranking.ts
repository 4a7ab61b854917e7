/** The number of rows that a search compares one by one, at most; an index finds the nearest of more rows. */
export const EXACT_SCAN_LIMIT = 5_000

/** The constant of reciprocal rank fusion, which joins a ranking by words and one by vectors: a larger one favours top ranks less. */
export const FUSION = 60

/** The number of hits that each ranking contributes to a page of `limit`. */
export const depthOf = (limit: number) => (limit <= 50 ? 100 : 200)
