import { CheckIcon } from 'lucide-react'
import { Checkbox as Primitive } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../class-names.ts'

export function Checkbox({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      className={cn(
        'flex size-4 shrink-0 items-center justify-center rounded border border-input bg-card focus-visible:outline-2 focus-visible:outline-offset-2 disabled:opacity-50 data-[state=checked]:border-primary data-[state=checked]:bg-primary data-[state=checked]:text-primary-foreground',
        className,
      )}
      {...props}
    >
      <Primitive.Indicator>
        <CheckIcon className="size-3.5" />
      </Primitive.Indicator>
    </Primitive.Root>
  )
}
