/** Names of the numbers that enumerated parameters take (interface §1), as the reference has them. */
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

export const scriptTypes = ['stScript', 'stFlowScript', 'stSVCWorkflow'] as const;
