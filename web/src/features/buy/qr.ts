import jsQR from 'jsqr'

/** The text of the QR code in a picture. */
export function readQr({
  data,
  width,
  height,
}: Pick<ImageData, 'data' | 'width' | 'height'>): string | undefined {
  return jsQR(data, width, height)?.data || undefined
}

/** A code that fills the picture is read from this many pixels; more would only be slower. */
const LONGEST = 640

/** Reads the current frame of a video. */
export function lookAt(video: HTMLVideoElement, canvas: HTMLCanvasElement): string | undefined {
  const scale = Math.min(1, LONGEST / Math.max(video.videoWidth, video.videoHeight))
  canvas.width = Math.round(video.videoWidth * scale)
  canvas.height = Math.round(video.videoHeight * scale)
  const picture = canvas.getContext('2d', { willReadFrequently: true })
  if (!picture || canvas.width === 0 || canvas.height === 0) return undefined
  picture.drawImage(video, 0, 0, canvas.width, canvas.height)
  return readQr(picture.getImageData(0, 0, canvas.width, canvas.height))
}
