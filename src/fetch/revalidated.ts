import type { AnswerCache } from './cache/answer-cache'
import { type HttpAnswer, type HttpClient, type HttpRequest, validatorOf } from './connection/http-client'

/**
 * Asks for content that may change at its URL. A place that says that it is still the kept one does not send it again.
 *
 * @throws FetchFailure
 */
export async function revalidated(http: HttpClient, answers: AnswerCache, request: HttpRequest): Promise<HttpAnswer> {
  const question = ['content', request.url.href]
  const kept = await answers.read(question)
  const answer = await http.get({ ...request, unless: kept?.parts.validator })
  if (answer.status === 304 && kept) return { ...answer, status: 200, body: kept.content }
  const validator = validatorOf(answer)
  if (answer.status === 200 && validator !== '') await answers.write(question, { validator }, answer.body)
  return answer
}
