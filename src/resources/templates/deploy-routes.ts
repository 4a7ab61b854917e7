import type { FastifyRequest } from 'fastify'
import { type Rendered, renderList, renderObject } from '../../db/render/rendered.ts'
import { olderSdk } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Params } from '../../lib/wire.ts'
import { retrieveAgent } from '../agents/agents.ts'
import { ALL_RELATIONS } from '../agents/relations.ts'
import { CreateTemplateAgents, Deployment } from './body.ts'
import { deploy } from './deploy.ts'
import { template_version } from './path-schema.ts'
import { namedIn, type ProjectSource } from './request.ts'

const operation = operationsOf('templates')

/** The response to a deployment: older SDKs read the agents themselves instead of their ids. */
async function responseTo(request: FastifyRequest, made: Deployment): Promise<Deployment | Rendered<Deployment>> {
  if (olderSdk(request) === undefined) return made
  const agents = await Promise.all(
    made.agent_ids.map((id) => retrieveAgent(request.scope, id, { include: ALL_RELATIONS })),
  )
  return renderObject({ ...made, agents: renderList(agents) })
}

/** The route that creates an agent from a version of a template. */
export const templateDeployRoutes = (source: ProjectSource, defaultModel: string) => async (app: App) => {
  const { suffix, where, base, headers } = source

  app.post(
    `${base}/:template_version/agents`,
    operation(`create_agents_from_template${suffix}`, `Create an agent from a version of a template${where}`, {
      ...headers,
      params: Params({ ...source.params, template_version }),
      body: CreateTemplateAgents,
      response: { 201: Deployment },
    }),
    async (request, reply) => {
      const { version, ...named } = await namedIn(request)
      reply.code(201)
      return responseTo(request, await deploy(request.scope, named, version, request.body, defaultModel))
    },
  )
}
