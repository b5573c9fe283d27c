import { ScanQrCode } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { common } from '@/messages/common'

interface Detector {
  detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]>
}

const makers = globalThis as { BarcodeDetector?: new (options: { formats: string[] }) => Detector }

const LOOK_MS = 200

/** Reads a wallet's QR code by camera, where the browser can do both. */
export function ScanButton({ onRead }: { onRead: (text: string) => void }) {
  const [open, setOpen] = useState(false)
  if (!makers.BarcodeDetector || !globalThis.navigator?.mediaDevices) return null
  return (
    <>
      <Button variant="outline" size="sm" className="mt-2" onClick={() => setOpen(true)}>
        <ScanQrCode aria-hidden />
        {buy.scan}
      </Button>
      {open ? (
        <Scanner
          onClose={() => setOpen(false)}
          onRead={(text) => {
            setOpen(false)
            onRead(text)
          }}
        />
      ) : null}
    </>
  )
}

function Scanner({ onRead, onClose }: { onRead: (text: string) => void; onClose: () => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const told = useRef({ onRead, onClose })
  told.current = { onRead, onClose }
  useEffect(
    () =>
      watch(
        video,
        (text) => told.current.onRead(text),
        () => told.current.onClose(),
      ),
    [],
  )
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent title={buy.scan} description={buy.scanText}>
        <video
          ref={video}
          muted
          playsInline
          className="aspect-square w-full rounded-md bg-muted object-cover"
        />
      </DialogContent>
    </Dialog>
  )
}

/** Looks through the camera until a code is read; answers how to stop. */
function watch(
  video: { current: HTMLVideoElement | null },
  read: (text: string) => void,
  close: () => void,
): () => void {
  let stream: MediaStream | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let over = false
  const stop = () => {
    over = true
    clearInterval(timer)
    for (const track of stream?.getTracks() ?? []) track.stop()
  }
  const start = async () => {
    const Maker = makers.BarcodeDetector
    if (!Maker) return
    const detector = new Maker({ formats: ['qr_code'] })
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
    if (over || !video.current) return stop()
    video.current.srcObject = stream
    await video.current.play()
    timer = setInterval(async () => {
      const [code] = over || !video.current ? [] : await detector.detect(video.current).catch(() => [])
      if (!code || over) return
      stop()
      read(code.rawValue)
    }, LOOK_MS)
  }
  start().catch(() => {
    if (over) return
    stop()
    toast({ title: common.error, description: buy.scanFailed, variant: 'destructive' })
    close()
  })
  return stop
}
