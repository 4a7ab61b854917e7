import { checkShape, type Json, type Shape } from '../shape.ts'
import { CONTENTS, checkContents, checkInstruction } from './contents.ts'
import { checkName, GEMINI, invalid } from './refusals.ts'
import { checkSchema } from './schema.ts'

const REQUEST: Shape = {
  fields: {
    'contents!': CONTENTS,
    systemInstruction: 'object',
    tools: {
      list: {
        fields: {
          functionDeclarations: {
            list: {
              fields: {
                'name!': 'string',
                description: 'string',
                parameters: 'object',
                parametersJsonSchema: 'any',
                response: 'object',
                responseJsonSchema: 'any',
                behavior: 'string',
              },
            },
          },
          googleSearch: 'object',
          codeExecution: 'object',
          urlContext: 'object',
        },
      },
    },
    toolConfig: {
      fields: {
        functionCallingConfig: {
          fields: { mode: ['AUTO', 'ANY', 'NONE', 'VALIDATED'], allowedFunctionNames: { list: 'string' } },
        },
        retrievalConfig: 'object',
      },
    },
    generationConfig: {
      fields: {
        temperature: 'number',
        topP: 'number',
        topK: 'integer',
        candidateCount: 'integer',
        maxOutputTokens: 'integer',
        stopSequences: { list: 'string' },
        responseMimeType: 'string',
        responseSchema: 'object',
        responseJsonSchema: 'any',
        responseModalities: { list: 'string' },
        thinkingConfig: {
          fields: {
            includeThoughts: 'boolean',
            thinkingBudget: 'integer',
            thinkingLevel: ['minimal', 'low', 'medium', 'high', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'],
          },
        },
        seed: 'integer',
        presencePenalty: 'number',
        frequencyPenalty: 'number',
        responseLogprobs: 'boolean',
        logprobs: 'integer',
        mediaResolution: 'string',
        speechConfig: 'object',
        imageConfig: 'object',
        audioTimestamp: 'boolean',
      },
    },
    safetySettings: { list: { fields: { 'category!': 'string', 'threshold!': 'string' } } },
    cachedContent: 'string',
    labels: 'object',
    serviceTier: 'string',
    model: 'string',
  },
}

function checkTools({ tools = [], toolConfig, generationConfig }: Json): void {
  const declared: Json[] = []
  for (const [group, { functionDeclarations = [] }] of tools.entries()) {
    for (const [at, declaration] of functionDeclarations.entries()) {
      const path = ['tools', group, 'functionDeclarations', at]
      checkName(declaration.name, [...path, 'name'])
      if (declared.some(({ name }) => name === declaration.name)) {
        invalid(`Duplicate function declaration found: ${declaration.name}`)
      }
      declared.push(declaration)
      if (declaration.parameters && declaration.parametersJsonSchema) {
        invalid('Only one of parameters and parameters_json_schema can be set.')
      }
      if (declaration.parameters) checkSchema(declaration.parameters, [...path, 'parameters'])
    }
  }
  if (toolConfig?.functionCallingConfig && declared.length === 0) {
    invalid('Function calling config is set without function_declarations.')
  }
  if (declared.length > 0 && generationConfig?.responseMimeType === 'application/json') {
    invalid("Function calling with a response mime type: 'application/json' is unsupported")
  }
}

function checkConfig({ generationConfig: config = {} }: Json, model: string): void {
  const { temperature, maxOutputTokens, thinkingConfig: thinking = {}, responseSchema } = config
  if (temperature < 0 || temperature > 2)
    invalid(`Invalid value at 'generation_config.temperature': ${temperature}. Must be in the range [0.0, 2.0].`)
  if (maxOutputTokens < 1) invalid('max_output_tokens must be positive.')
  if (thinking.thinkingBudget !== undefined && thinking.thinkingLevel !== undefined) {
    invalid('You can only set only one of thinking budget and thinking level.')
  }
  if (thinking.thinkingLevel !== undefined && !model.startsWith('gemini-3')) {
    invalid('Thinking level is not supported for this model.')
  }
  if (responseSchema) checkSchema(responseSchema, ['generationConfig', 'responseSchema'])
}

/** Refuses what `generateContent` of Gemini refuses. Of the two spellings of names it takes `functionCall` only. */
export function checkRequest(body: Json, model: string): void {
  checkShape(body, REQUEST, GEMINI)
  checkInstruction(body.systemInstruction)
  checkTools(body)
  checkConfig(body, model)
  checkContents(body.contents, model.startsWith('gemini-3'))
}
