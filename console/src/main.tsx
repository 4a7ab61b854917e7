import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { configureClient } from './api/client.ts'
import { createQueryClient } from './api/query-client.ts'
import { ConfirmProvider } from './components/confirm.tsx'
import { TooltipProvider } from './components/ui/tooltip.tsx'
import { SignInGate } from './layout/sign-in-gate.tsx'
import { applyTheme, storedTheme } from './layout/theme.ts'
import { ThemedToaster } from './layout/themed-toaster.tsx'
import { router } from './router.ts'
import './styles.css'

configureClient()
applyTheme(storedTheme())

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <TooltipProvider>
        <ConfirmProvider>
          <SignInGate>
            <RouterProvider router={router} />
          </SignInGate>
          <ThemedToaster />
        </ConfirmProvider>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
)
