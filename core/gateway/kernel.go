package gateway

import "encoding/json"

// The kernel tools. Their listing is the same bytes in every session, so that a
// host's prompt cache survives; each byte is paid for in each session.
const (
	toolSearch    = "tool_search"
	describeTool  = "describe_tool"
	callTool      = "call_tool"
	callToolWrite = "call_tool_write"
	surfaceTool   = "surface"

	capabilityTool = "capability"
)

const (
	searchDefinition = `{"name":"tool_search","description":"Find tools for a task. All tools of the user's MCP servers (see the instructions) are behind this search and not listed here: search before saying that you have no tool for something. Hits carry id and arguments: call at once with call_tool or call_tool_write.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"what to do, in a few words"},"limit":{"type":"integer"}},"required":["query"]},"annotations":{"readOnlyHint":true}}`

	describeDefinition = `{"name":"describe_tool","description":"Full schemas by id, if a hit's arguments leave a doubt.","inputSchema":{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"}}},"required":["tools"]},"annotations":{"readOnlyHint":true}}`

	callDefinition = `{"name":"call_tool","description":"Call a tool that only reads, by the id from tool_search.","inputSchema":{"type":"object","properties":{"tool":{"type":"string","description":"server:tool"},"arguments":{"type":"object"}},"required":["tool"]},"annotations":{"readOnlyHint":true}}`

	callWriteDefinition = `{"name":"call_tool_write","description":"Call any tool, also one that changes something.","inputSchema":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool"]},"annotations":{"readOnlyHint":false}}`

	// Beside tools that are listed as they are, call_tool only reads on.
	readOnDefinition = `{"name":"call_tool","description":"Read on in a result that was cut, as its last line says.","inputSchema":{"type":"object","properties":{"tool":{"type":"string","enum":["ctx:read"]},"arguments":{"type":"object"}},"required":["tool","arguments"]},"annotations":{"readOnlyHint":true}}`

	// Only where the user has a tap or a skill.
	capabilityDefinition = `{"name":"capability","description":"Bundles of tools (capability:NAME in tool_search): enable one, then call its tools; enable skill:NAME to read a skill. discover and enable also take an intent.","inputSchema":{"type":"object","properties":{"action":{"enum":["list","discover","enable","disable"]},"name":{"type":"string"},"intent":{"type":"string"}},"required":["action"]},"annotations":{"readOnlyHint":true}}`

	surfaceDefinition = `{"name":"surface","description":"List tools under their own names (reveal), take them out again (hide), or see the servers (index). Not needed for calling: call_tool reaches every tool.","inputSchema":{"type":"object","properties":{"action":{"enum":["index","reveal","hide"]},"family":{"type":"string","description":"a server or a family of tools"},"tools":{"type":"array","items":{"type":"string"}}},"required":["action"]},"annotations":{"readOnlyHint":true}}`
)

// kernel is the four tools that are always listed.
var kernel = []json.RawMessage{
	json.RawMessage(searchDefinition),
	json.RawMessage(describeDefinition),
	json.RawMessage(callDefinition),
	json.RawMessage(callWriteDefinition),
}
