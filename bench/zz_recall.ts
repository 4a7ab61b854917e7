import pg from 'pg'
import { sql } from 'kysely'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { lexicalVector } from '../src/embed/lexical.ts'
import { addPassages } from './passages.ts'
const base=process.argv[2]!
const admin=new pg.Client(base); await admin.connect()
await admin.query('drop database if exists zz_recall with (force)'); await admin.query('create database zz_recall')
const u=new URL(base); u.pathname='/zz_recall'
const db=await openDatabase({databaseUrl:u.href,dataDir:'/tmp',poolSize:4})
await migrate(db)
const org='org-00000000-0000-7000-8000-000000000001'
await sql`insert into organizations (id,name,created_at) values (${org},'x',now())`.execute(db.kysely)
let t=performance.now()
const k=await addPassages(db,org,Number(process.argv[3]),()=>{})
console.log('loaded', ((performance.now()-t)/1000).toFixed(0),'s')
const qs=Array.from({length:60},()=>k.topics.text(12)).map(q=>`[${lexicalVector(q)}]`)
const exact:Set<string>[]=[]
const c=new pg.Client(u.href); await c.connect()
await c.query('set enable_indexscan=off')
for(const q of qs){ const r=await c.query('select passage_id as id from embeddings order by embedding <=> $1::vector limit 10',[q]); exact.push(new Set(r.rows.map(x=>x.id))) }
await c.query('set enable_indexscan=on; set enable_seqscan=off')
for (const [m,efc] of [[24,128],[16,64],[16,128]]) {
  t=performance.now()
  await c.query('drop index embeddings_512'); await c.query("set maintenance_work_mem='1GB'")
  await c.query(`create index embeddings_512 on embeddings using hnsw ((embedding::vector(512)) vector_cosine_ops) with (m=${m}, ef_construction=${efc}) where dimension=512`)
  const build=(performance.now()-t)/1000
  for (const ef of [100,200,400,800]) {
    await c.query(`set hnsw.ef_search=${ef}`)
    let hit=0; t=performance.now()
    for(let i=0;i<qs.length;i++){ const r=await c.query('select passage_id as id from embeddings where dimension=512 order by embedding::vector(512) <=> $1::vector limit 10',[qs[i]]); for(const x of r.rows) if(exact[i]!.has(x.id)) hit++ }
    console.log({m,efc,build:build.toFixed(0),ef,recall:(hit/qs.length/10).toFixed(3),ms:((performance.now()-t)/qs.length).toFixed(1)})
  }
  // insert cost
  t=performance.now(); await c.query('begin'); await c.query(`insert into embeddings (organization_id, passage_id, container_id, model, embedding) select organization_id, passage_id, container_id, 'other', embedding from embeddings where model <> 'other' limit 300`); console.log('insert ms each', ((performance.now()-t)/300).toFixed(2)); await c.query('rollback')
}
await c.end(); await db.close(); await admin.query('drop database zz_recall with (force)'); await admin.end()
