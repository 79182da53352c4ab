import { markedLines } from './marked-lines'

markedLines('helm3')
