import { cva } from 'class-variance-authority'

/**
 * The styles of buttons, and of links styled as buttons. Small: the first view has no other part of the kit.
 */
export const buttonVariants = cva(
  [
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors select-none',
    'disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  ],
  {
    variants: {
      variant: {
        default: 'bg-primary text-primary-foreground hover:bg-primary-hover',
        secondary: 'bg-secondary text-secondary-foreground hover:bg-border',
        outline: 'border border-outline bg-card text-foreground hover:bg-accent',
        ghost: 'text-foreground hover:bg-accent',
        link: 'h-auto! px-0! text-primary underline-offset-4 hover:underline',
        destructive: 'bg-destructive text-destructive-foreground hover:bg-destructive-hover',
      },
      size: {
        default: 'h-11 px-4 text-base md:h-10 md:text-sm',
        sm: 'h-9 px-3 text-sm md:h-8 md:text-dense',
        lg: 'h-12 px-6 text-base',
        icon: 'size-11 md:size-9',
        'icon-sm': 'size-9 md:size-7',
      },
    },
    defaultVariants: { variant: 'default', size: 'default' },
  },
)
