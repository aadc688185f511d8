/** The longest side of a picture that is sent, in pixels. */
export const LONGEST_SIDE = 2560;

/** The JPEG quality of a smaller picture, 0 to 1. */
export const JPEG_QUALITY = 0.85;

/** The size in which a picture of `width` by `height` is sent, in pixels: never larger, with the same proportions. */
export function sizeFor(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Returns the picture as a smaller, upright JPEG, or the picture itself if that fails or is not smaller. */
export async function shrink(file: File): Promise<Blob> {
  try {
    // Browsers that support this turn the picture upright (Chrome 81, Safari 13.1); in the others it would lie on its
    // side.
    if (!CSS.supports('image-orientation', 'from-image')) {
      return file;
    }
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const canvas = document.createElement('canvas');
    Object.assign(canvas, sizeFor(picture.width, picture.height));
    const paper = canvas.getContext('2d') as CanvasRenderingContext2D;
    paper.fillStyle = '#fff'; // JPEG knows no transparency
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const small = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', JPEG_QUALITY));
    canvas.width = 0; // Safari keeps the memory of a canvas for long
    return small && small.type === 'image/jpeg' && small.size < file.size ? small : file;
  } catch {
    return file;
  }
}
