/** `{{ NAME }}` or `{{ NAME | default }}`. */
const TEMPLATE = /\{\{\s*([A-Z_][A-Z0-9_]*)\s*(?:\|([^{}]*))?\}\}/g

/** A text with its templates replaced by values of the environment, or their defaults. As it is where one has neither. */
export function fillTemplates(text: string, environment: Readonly<Record<string, string>>): string {
  let complete = true
  const filled = text.replace(TEMPLATE, (template, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : fallback?.trim()
    if (value === undefined) complete = false
    return value ?? template
  })
  return complete ? filled : text
}
