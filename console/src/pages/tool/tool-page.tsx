import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { retrieveTool } from '../../api/generated.ts'
import { JsonView } from '../../components/json-view.tsx'
import { Loaded } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Page } from '../../layout/page.tsx'
import { SourceEditor } from './source-editor.tsx'
import { TryTool } from './try-tool.tsx'

const EXAMPLE = `def roll_dice(sides: int = 6) -> int:
    """
    Rolls a die.

    Args:
        sides: The number of its sides.
    """
    import random

    return random.randint(1, sides)
`

function Existing({ toolId }: { toolId: string }) {
  const tool = useQuery({ queryKey: ['tools', toolId], queryFn: () => retrieveTool(toolId) })
  return (
    <Loaded query={tool}>
      {(tool) => (
        <Page title={tool.name ?? 'Tool'} detail={<Badge>{tool.tool_type?.replaceAll('_', ' ')}</Badge>}>
          {tool.source_code ? (
            <SourceEditor key={tool.id} tool={tool} source={tool.source_code} language={tool.source_type} />
          ) : (
            <Card title="Schema">
              <JsonView label="Schema" value={tool.json_schema} />
            </Card>
          )}
          {tool.tool_type === 'custom' && <TryTool tool={tool} />}
        </Page>
      )}
    </Loaded>
  )
}

/** One tool: its source, the schema that the server derives from it, and a form to try it. At `/tools/new` a new one. */
export function ToolPage() {
  const { toolId } = useParams({ from: '/tools/$toolId' })
  if (toolId !== 'new') return <Existing toolId={toolId} />
  return (
    <Page title="New tool">
      <SourceEditor source={EXAMPLE} language="python" />
    </Page>
  )
}
