import { type LoadedFile, loadFile } from '../../manifest/load'
import type { Piece } from './rendering'

/**
 * The texts that renderings have, each held and parsed once: what is rendered for other clusters, on the other side of a
 * change or from another folder is mostly the same.
 */
export class RenderedTexts {
  private readonly texts = new Map<string, string>()
  private readonly files = new Map<string, LoadedFile>()

  /** Pieces that hold nothing of the output that they were cut from. */
  shared(pieces: readonly Piece[]): Piece[] {
    return pieces.map((piece) => ({ ...piece, text: this.own(piece.text) }))
  }

  load(text: string): LoadedFile {
    const own = this.own(text)
    const file = this.files.get(own) ?? loadFile({ text: own })
    this.files.set(own, file)
    return file
  }

  private own(text: string): string {
    const known = this.texts.get(text)
    if (known !== undefined) return known
    // A part of a string keeps the whole of it; half a character has no copy.
    const copy = Buffer.from(text).toString()
    const own = copy === text ? copy : text
    this.texts.set(own, own)
    return own
  }
}
