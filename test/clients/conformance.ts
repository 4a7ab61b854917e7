/** The scenarios for clients that are not run, and why. */
export const CLIENT_LEFT_OUT: Readonly<Record<string, string>> = {
  'sse-retry':
    'a call whose stream the server closes has failed: its model reads that; the suite waits a minute for another',
}

/** The scenarios of the conformance suite that our client fails, and why. */
export const CLIENT_FAILURES: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults': 'no user can be asked while a tool runs',
  'auth/pre-registration': 'no setting takes a registration that somebody else has made',
  'auth/2025-03-26-oauth-metadata-backcompat': 'the library refuses metadata of another issuer (RFC 8414 § 3.3)',
  'auth/basic-cimd': 'a recommendation: a server of one’s own has no public address for a document on itself',
  'auth/scope-step-up': 'a call asks no user for more rights: whoever connects again grants them',
  'auth/client-credentials-jwt': 'an extension: users grant authorizations',
  'auth/client-credentials-basic': 'an extension: users grant authorizations',
  'auth/cross-app-access-complete-flow': 'an extension: users grant authorizations',
}

const FIXTURE = 'calls tools of the suite’s own example server'
const NOTHING = 'the server has tools, and neither resources nor prompts'

/** The scenarios that `/mcp` fails, and why. */
export const SERVER_FAILURES: Readonly<Record<string, string>> = {
  'logging-set-level': 'the server sends no logs',
  'completion-complete': NOTHING,
  ...Object.fromEntries(
    [
      ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'with-logging', 'error'],
      ...['with-progress', 'sampling', 'elicitation'],
    ].map((name) => [`tools-call-${name}`, FIXTURE]),
  ),
  'elicitation-sep1034-defaults': FIXTURE,
  'elicitation-sep1330-enums': FIXTURE,
  ...Object.fromEntries(
    [
      ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
      ...['resources-subscribe', 'resources-unsubscribe', 'prompts-list', 'prompts-get-simple'],
      ...['prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
    ].map((name) => [name, NOTHING]),
  ),
}
