import type { McpProgram } from '../../src/lib/mcp-programs.ts'

/** An MCP server as a program without dependencies, so that it starts quickly: of the era with sessions. */
const SOURCE = `
import json, os, sys, time
calls = 0
def look(arguments):
    value = eval(arguments["code"])
    return value if isinstance(value, str) else json.dumps(value)
def count(_):
    global calls
    calls += 1
    return str(calls)
TOOLS = {"echo": lambda arguments: "Echo: " + arguments["message"], "count": count, "look": look}
SCHEMAS = {"echo": {"message": {"type": "string"}}, "count": {}, "look": {"code": {"type": "string"}}}
def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "program", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": schema, "required": list(schema)}} for name, schema in SCHEMAS.items()]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": TOOLS[params["name"]](params["arguments"])}]}
print("A program that greets.", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params"))
    if result is None and "--ends" in sys.argv:
        sys.exit("what is " + message["method"])
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
`

/** A program with the tools echo, count, and look, which returns the value of an expression of Python. */
export const programOf = (more: Partial<McpProgram> = {}, ...args: string[]): McpProgram => ({
  command: 'python3',
  args: ['-c', SOURCE, ...args],
  ...more,
})
