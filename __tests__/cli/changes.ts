import { ingress } from '../source/objects'
import { temporaryFolder, writeFiles } from '../source/repository'

export const covered = ingress('web', ['a.example.com'], ['a.example.com'])
export const holed = ingress('web', ['a.example.com'], ['b.example.com'])

export function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const dir = temporaryFolder()
  writeFiles(dir, files)
  return dir
}
