/**
 * Whether a port of a container can have a name, by which Services, Ingresses and probes name it. A number in quotes is none.
 * Source: k8s.io/apimachinery v0.36, pkg/util/validation/validation.go, IsValidPortName
 */
export function isPortName(name: string): boolean {
  return name.length <= 15 && isWord(name) && /[a-z]/.test(name) && !name.includes('--')
}

/**
 * A DNS-1123 label, which the name of a port of a Service is, and that of a Service: newer releases accept it where older
 * ones ask for a letter at the start.
 */
export function isLabel(name: string): boolean {
  return name.length <= 63 && isWord(name)
}

function isWord(text: string): boolean {
  return /^[a-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-')
}
