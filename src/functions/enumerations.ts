/** Names of the values of enumerated parameters (interface §1), as the command reference has them. */
export const variableTypes = ['vtBoolean', 'vtInteger', 'vtFloat', 'vtString'] as const;

export const moduleTypes = [
  'mtCore',
  'mtIO',
  'mtSplitter',
  'mtDevice',
  'mtConfigurator',
  'mtDiscovery',
  'mtVisualization',
] as const;

export const mediaTypes = ['mtDashboard', 'mtImage', 'mtSound', 'mtStream', 'mtChart', 'mtDocument'] as const;

/** Formats of the data of a debug message. */
export const debugFormats = ['dfText', 'dfBinary'] as const;

/** Types of log messages. */
export const logTypes = [
  'lmtDefault',
  'lmtSuccess',
  'lmtNotify',
  'lmtWarning',
  'lmtError',
  'lmtDebug',
  'lmtCustom',
] as const;

export const eventTypes = ['etTrigger', 'etCyclic', 'etSchedule'] as const;

export const triggerTypes = [
  'evtOnUpdate',
  'evtOnChange',
  'evtOnLimitExceed',
  'evtOnLimitDrop',
  'evtOnValue',
] as const;

export const cyclicDates = ['cdtNone', 'cdtOnce', 'cdtDay', 'cdtWeek', 'cdtMonth', 'cdtYear'] as const;

export const cyclicTimes = ['cttOnce', 'cttSecond', 'cttMinute', 'cttHour'] as const;

export const conditionOperations = ['eoAND', 'eoOR', 'eoNAND', 'eoNOR'] as const;

export const comparisons = [
  'ecEqual',
  'ecNotEqual',
  'ecGreater',
  'ecGreaterOrEqual',
  'ecSmaller',
  'ecSmallerOrEqual',
] as const;

export const scriptTypes = ['stScript', 'stFlowScript', 'stSVCWorkflow'] as const;

export const protocols = ['hmpRadio', 'hmpWired', 'hmpIP', 'hmpGroups'] as const;

export const modbusModes = [
  'mbgmTCP',
  'mbgmRTU',
  'mbgmRTUoverTCP',
  'mbgmTCPoverUDP',
  'mbgmSymBoxRTU',
  'mbgmSymBoxASCII',
  'mbgmRTUoverUDP',
  'mbgmASCII',
  'mbgmASCIIoverTCP',
  'mbgmASCIIoverUDP',
] as const;

export const modbusTypes = [
  'mbBit',
  'mbUInt8MSB',
  'mbUInt16',
  'mbUInt32',
  'mbInt8MSB',
  'mbInt16',
  'mbInt32',
  'mbFloat32',
  'mbInt64',
  'mbFloat64',
  'mbStringPlain',
  'mbUInt64',
  'mbUInt8LSB',
  'mbInt8LSB',
  'mbStringHex',
] as const;

export const aggregationSpans = [
  'agHour',
  'agDay',
  'agWeek',
  'agMonth',
  'agYear',
  'ag5Minutes',
  'ag1Minute',
  'agChanges',
] as const;
/** Spans that the command reference does not have. */
export const moreAggregationSpans = ['ag15Minutes'] as const;

export const compactionTypes = [
  'ctNoCompaction',
  'ct1Minute',
  'ct5Minutes',
  'ctHour',
  'ctDay',
  'ctWeek',
  'ctMonth',
  'ctYear',
  'ctDelete',
] as const;

export const aggregationTypes = ['asGauge', 'asCounter'] as const;

export const chartSpans = ['tsHour', 'tsDay', 'tsWeek', 'tsMonth', 'tsYear', 'tsDecade'] as const;

export const densities = ['gdNormal', 'gdHD', 'gdRaw'] as const;
