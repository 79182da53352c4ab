/** The argument with which the program is started to judge one change of a history for the process that started it. */
export const changeArgument = 'judge-change-of-history'
