import ReactMarkdown, { type Components } from 'react-markdown'
import gfm from 'remark-gfm'

const COMPONENTS: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-primary underline">
      {children}
    </a>
  ),
  // An image of another host would report to it who reads the conversation: a link doesn't.
  img: ({ alt, src }) => (
    <a
      href={typeof src === 'string' ? src : undefined}
      target="_blank"
      rel="noreferrer noopener"
      className="text-primary underline"
    >
      {alt || 'Image'}
    </a>
  ),
  pre: ({ children }) => (
    <pre className="my-2 overflow-x-auto rounded-md bg-muted p-2.5 font-mono text-[13px]">{children}</pre>
  ),
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto">
      <table className="[&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:px-2 [&_th]:py-1">{children}</table>
    </div>
  ),
}

/** A text with Markdown. HTML in it is shown as text. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="wrap-anywhere grid gap-2 [&_:not(pre)>code]:rounded [&_:not(pre)>code]:bg-muted [&_:not(pre)>code]:px-1 [&_blockquote]:border-l-2 [&_blockquote]:pl-3 [&_h1]:font-semibold [&_h1]:text-lg [&_h2]:font-semibold [&_h2]:text-base [&_h3]:font-semibold [&_ol]:list-decimal [&_ol]:pl-6 [&_ul]:list-disc [&_ul]:pl-6">
      <ReactMarkdown remarkPlugins={[gfm]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
