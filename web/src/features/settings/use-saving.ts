import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Profile } from '@/api/types.gen'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { settings as texts } from '@/messages/settings'
import { profileQuery } from './queries'

/** What every save does: fresh data, and a toast. */
export function useSaving<I>(save: (input: I) => Promise<Profile>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: save,
    scope: { id: 'profile' }, // one after the other, so that the last choice is the one that stands
    onSuccess: async (profile) => {
      await client.cancelQueries({ queryKey: profileQuery.queryKey }) // it would restore the old value
      client.setQueryData(profileQuery.queryKey, profile)
      void client.invalidateQueries({ queryKey: ['user'] })
      toast({ title: texts.saved })
    },
    onError: (error) =>
      toast({
        title: texts.saveFailed,
        description: messageOf(error, texts.saveFailed),
        variant: 'destructive',
      }),
  })
}
