import { type RawBuilder, sql } from 'kysely'
import { depthOf } from '../../lib/ranking.ts'
import {
  and,
  each,
  type Filter,
  type HostedHits,
  hostedTable,
  inContainers,
  narrowing,
  PASSAGES,
} from './search-filter.ts'

/** The query as a vector of one model. */
export interface QueryVector {
  /** See modelKey. */
  model: string
  /** How callers know the model. */
  name: string
  /** The archives and folders the model serves; undefined: every archive that the model serves. */
  containers: readonly string[] | undefined
  vector: readonly number[]
  /** The hits of the hosted store; undefined: this database is searched. */
  hosted?: HostedHits | undefined
}

/** A search by vectors. */
export interface VectorQuery {
  filter: Filter
  limit: number
  vectors: readonly QueryVector[]
  /** The largest number of candidates that are compared one by one; among more, an index finds the nearest. */
  exactScanLimit: number
}

/** The dimensions with an index, and the type that the index stores: see migrations. */
const INDEXED: Readonly<Record<number, 'vector' | 'halfvec'>> = {
  256: 'vector',
  384: 'vector',
  512: 'vector',
  768: 'vector',
  1024: 'vector',
  1536: 'vector',
  2560: 'halfvec',
  3072: 'halfvec',
}

/** The parts of a search by the vectors of one model, as SQL. */
function partsOf({ filter, vectors }: VectorQuery, n: number) {
  const { model, containers } = vectors[n]!
  const { corpus, organizationId } = filter
  const container = sql.ref(corpus.container)
  const textId = sql.ref(corpus.textId)
  // While an archive changes from one of the models to another, it has vectors of both. A message has one vector.
  const servedBy = (row: 'e' | 'p') => sql`exists (select from archives a
    where a.organization_id = ${organizationId} and a.id = ${sql.ref(`${row}.container_id`)}
      and embedding_model(coalesce(a.serving_config, a.embedding_config)) = ${model})`
  const ownBy = (row: 'e' | 'p') =>
    and([
      sql`${sql.ref(`${row}.organization_id`)} = ${organizationId}`,
      inContainers({ corpus, containers }, row),
      ...(containers || vectors.length === 1 || corpus !== PASSAGES ? [] : [servedBy(row)]),
    ])
  const own = sql`e.model = ${model} and ${ownBy('e')}`
  /** The vector of a text `of`. */
  const vectorOf = (of: RawBuilder<unknown>) =>
    sql`${each(sql`select * from ${sql.table(corpus.vectors)} where organization_id = ${organizationId}
      and ${container} = ${of}.${container} and ${textId} = ${of}.id and model = ${model}`)} e`
  const narrow = narrowing(filter)
  return {
    own,
    vectorOf,
    textId: sql`e.${textId}`,
    container: sql`e.${container}`,
    vectors: sql.table(corpus.vectors),
    /** The condition on the text of vector `e`. */
    visible:
      narrow.length > 0
        ? sql`(select ${and(narrow)} from ${sql.table(corpus.texts)} p where p.organization_id = ${organizationId}
          and p.${container} = e.${container} and p.id = e.${textId})`
        : sql`true`,
    /** The vectors that the filter keeps. */
    kept:
      narrow.length > 0
        ? sql`${sql.table(corpus.texts)} p ${vectorOf(sql`p`)} where ${ownBy('p')} and ${and(narrow)}`
        : sql`${sql.table(corpus.vectors)} e where ${own}`,
  }
}

/**
 * SQL of the tables of a search by the vectors of one model. Their names end in `n`; the last one is `vector_n`.
 *
 * An HNSW index knows no organizations, tags or dates: it returns the nearest vectors of all rows, and a filter that few
 * rows pass leaves few of them. So the candidates are counted, up to a bound. Few candidates are compared one by one, which
 * is exact. Among many, the index finds the nearest; if it returns fewer than requested, all candidates are compared.
 */
export function vectorTables(query: VectorQuery, n: number): RawBuilder<unknown>[] {
  const { vector, hosted } = query.vectors[n]!
  if (hosted) return [hostedTable(`vector_${n}`, query.filter, hosted, sql`1 - score as distance`)]
  const type = INDEXED[vector.length]
  return type ? indexedTables(query, n, sql.raw(`${type}(${vector.length})`)) : [exactTable(query, n)]
}

const termOf = (n: number) => sql`(select ${sql.ref(`vector_${n}`)} from terms)`
const distanceTo = (n: number) => sql`(e.embedding <=> ${termOf(n)})`

function exactTable(query: VectorQuery, n: number): RawBuilder<unknown> {
  const { kept, textId } = partsOf(query, n)
  return sql`${sql.table(`vector_${n}`)} as (
    select id, distance, 'exact' as index, row_number() over (order by distance, id desc) as rank from (
      select ${textId} as id, ${distanceTo(n)} as distance from ${kept}
      order by distance limit ${sql.lit(depthOf(query.limit))}) as nearest
    where distance < 'NaN')`
}

/** `cast`: the type with its dimension, written out as in the definition of the index. */
function indexedTables(query: VectorQuery, n: number, cast: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { own, kept, visible, vectorOf, textId, container, vectors } = partsOf(query, n)
  const table = (name: string) => sql.table(`${name}_${n}`)
  const [candidates, near, state, exact] = [table('candidates'), table('near'), table('state'), table('exact')]
  const depth = sql.lit(depthOf(query.limit))
  const limit = sql.lit(query.exactScanLimit)
  const distance = distanceTo(n)
  return [
    sql`${candidates} as materialized (
      select ${textId} as id, ${container} from ${kept} limit ${sql.lit(query.exactScanLimit + 1)})`,
    // One condition that only a look at the row can decide: no other index serves it, whatever the planner expects of the
    // filter, so that the planner reads the vector index in its order.
    sql`${near} as materialized (
      select ${textId} as id, (e.embedding::${cast} <=> ${termOf(n)}::${cast}) as distance from ${vectors} e
      where (select count(*) from ${candidates}) > ${limit}
        and e.dimension = ${sql.lit(query.vectors[n]!.vector.length)} and case when ${own} then ${visible} end
      order by distance limit ${depth})`,
    sql`${state} as materialized (
      select (select count(*) from ${candidates}) <= ${limit} as few,
        (select count(*) from ${near}) < ${depth} as short)`,
    sql`${exact} as (
      (select ${textId} as id, ${distance} as distance from ${candidates} c ${vectorOf(sql`c`)}
        where (select few from ${state}) order by distance limit ${depth})
      union all
      (select ${textId} as id, ${distance} as distance from ${kept} and (select not few and short from ${state})
        order by distance limit ${depth}))`,
    sql`${table('vector')} as (
      select id, distance, index, row_number() over (order by distance, id desc) as rank from (
        select id, distance, 'hnsw' as index from ${near} where (select not short from ${state})
        union all select id, distance, 'exact' from ${exact}) as nearest
      where distance < 'NaN')`,
  ]
}
