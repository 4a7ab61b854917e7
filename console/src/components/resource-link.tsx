import { Link, type LinkProps } from '@tanstack/react-router'

/** The name of a resource as a link to its page. */
export const ResourceLink = (props: LinkProps) => (
  <Link {...props} className="font-medium text-foreground hover:text-primary hover:underline" />
)
