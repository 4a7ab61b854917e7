import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../class-names.ts'

const button = cva(
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:pointer-events-none disabled:opacity-50 focus-visible:outline-2 focus-visible:outline-offset-2 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-primary text-primary-foreground hover:bg-primary/90',
        outline: 'border border-input bg-card hover:bg-muted',
        ghost: 'hover:bg-muted',
        destructive: 'border border-destructive/60 text-destructive hover:bg-destructive/10',
        link: 'text-primary underline-offset-4 hover:underline',
      },
      size: { small: 'h-7 px-2 text-xs', medium: 'h-8 px-3', icon: 'size-8', iconSmall: 'size-6' },
    },
    defaultVariants: { variant: 'outline', size: 'medium' },
  },
)

/** A button; with `asChild` its child, such as a link, looks like one. */
export function Button({
  className,
  variant,
  size,
  asChild,
  type = 'button',
  ...props
}: ComponentProps<'button'> & VariantProps<typeof button> & { asChild?: boolean }) {
  const Element = asChild ? Slot.Root : 'button'
  return <Element className={cn(button({ variant, size }), className)} {...(asChild ? {} : { type })} {...props} />
}
