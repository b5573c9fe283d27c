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

interface DetectorMaker {
  new (options: { formats: string[] }): Detector
  getSupportedFormats: () => Promise<string[]>
}

const makers = globalThis as { BarcodeDetector?: DetectorMaker }

type Look = (video: HTMLVideoElement) => Promise<string | undefined>

/** How this browser reads a code: natively, or, as on iPhones, by a decoder that is loaded now. */
async function reader(): Promise<Look> {
  const Maker = makers.BarcodeDetector
  if (Maker && (await Maker.getSupportedFormats()).includes('qr_code')) {
    const detector = new Maker({ formats: ['qr_code'] })
    return async (video) => (await detector.detect(video))[0]?.rawValue
  }
  const { lookAt } = await import('./qr')
  const canvas = document.createElement('canvas')
  return async (video) => lookAt(video, canvas)
}

const LOOK_MS = 200

/** Reads a wallet's QR code by camera, where there may be one. */
export function ScanButton({ onRead }: { onRead: (text: string) => void }) {
  const [open, setOpen] = useState(false)
  if (!globalThis.navigator?.mediaDevices) return null
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

/** Reads the camera until a code is found; returns the function that stops it. */
function watch(
  video: { current: HTMLVideoElement | null },
  read: (text: string) => void,
  close: () => void,
): () => void {
  let stream: MediaStream | undefined
  let over = false
  const stop = () => {
    over = true
    for (const track of stream?.getTracks() ?? []) track.stop()
  }
  const start = async () => {
    const look = await reader()
    if (over) return
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
    if (over || !video.current) return stop()
    video.current.srcObject = stream
    await video.current.play()
    while (!over && video.current) {
      const code = await look(video.current).catch(() => undefined)
      if (over) return
      if (code) {
        stop()
        return read(code)
      }
      await new Promise((done) => setTimeout(done, LOOK_MS))
    }
  }
  start().catch(() => {
    if (over) return
    stop()
    toast({ title: common.error, description: buy.scanFailed, variant: 'destructive' })
    close()
  })
  return stop
}
