import { Type } from '@sinclair/typebox';
import { logLevels } from '../base/log.js';
import { codedText, int, listOf, map, named } from './shapes.js';

/** Schemas of the results of functions about the machine, its connections and its messages (interface §1). */
const text = Type.String();
const bool = Type.Boolean();

export const processors = map(int);

export const memory = Type.Object({
  TOTALPHYSICAL: int,
  AVAILPHYSICAL: int,
  TOTALPAGEFILE: int,
  AVAILPAGEFILE: int,
  TOTALVIRTUAL: int,
  AVAILVIRTUAL: int,
});

export const processFigures = Type.Object({
  SVC_HANDLECOUNT: int,
  SVC_NUMTHREADS: int,
  SVC_VIRTUALSIZE: int,
  SVC_WORKINGSETSIZE: int,
  SVC_PAGEFILE: int,
  PROCESSCOUNT: int,
});

export const battery = Type.Object({
  OnBattery: bool,
  IsCharging: bool,
  BatteryLevel: int,
  BatteryRemainingTime: int,
  BatteryMaxTime: int,
});

const drive = Type.Object({ LETTER: text, LABEL: text, TOTAL: int, FREE: int });
/** Drives by their numbers, and `NUMDRIVES`. */
export const drives = map(Type.Union([drive, int]));

export const networks = listOf(
  Type.Object({
    InterfaceIndex: int,
    IP: text,
    MAC: text,
    Description: text,
    Speed: int,
    InTotal: int,
    OutTotal: int,
  }),
);

export const printJobs = listOf(Type.Object({ Job: text, User: text, Size: int }));

export const room = Type.Object({ Total: int, Free: int, Used: int });

/** Values of the option `Method` of `Sys_GetURLContentEx`. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** The options of `Sys_GetURLContentEx`. */
export const urlOptions = Type.Partial(
  Type.Object({
    /** One of METHODS. */
    Method: text,
    Body: text,
    Timeout: int,
    Headers: listOf(text),
    AuthUser: text,
    AuthPass: text,
    VerifyPeer: bool,
    VerifyHost: bool,
  }),
);

export const senderCounts = listOf(Type.Object({ SenderID: int, Count: int }));
export const senderSizes = listOf(Type.Object({ SenderID: int, Size: int }));
export const messageCounts = listOf(Type.Object({ Message: int, Count: int }));

export const scriptSenders = listOf(Type.Object({ Sender: text, Count: int }));

export const kernelStatistics = Type.Object({
  MessageCounter: int,
  MessageSlowCounter: int,
  MessageQueueSize: int,
  MessageQueueDelay: int,
  RequestQueueSize: int,
});

export const logStatistics = Type.Object({
  MessageDefaultCount: int,
  MessageSuccessCount: int,
  MessageNotifyCount: int,
  MessageWarningCount: int,
  MessageErrorCount: int,
  MessageCustomCount: int,
});

export const logMessages = listOf(Type.Object({ Type: int, TimeStamp: int, Sender: text, Message: text }));

export const logRecords = listOf(
  named('LogRecord', 'A line of the log with its details, and the instance that it is about.', {
    TimeMs: int,
    Level: Type.Union(logLevels.map((level) => Type.Literal(level))),
    Subject: text,
    Text: text,
    InstanceID: int,
  }),
);

export const connections = listOf(Type.Object({ ConnectionType: text, Remote: text, QueueBytes: int }));

export const browserSessions = listOf(
  named(
    'BrowserSession',
    'A browser that is signed in to a front or to the console. IsOwnerView: the owner sees the front as its residents do. IsOwn: it makes this call.',
    {
      ID: text,
      Kind: Type.Union([Type.Literal('front'), Type.Literal('console')]),
      IsOwnerView: bool,
      ConfiguratorID: int,
      Device: text,
      Address: text,
      CreatedMs: int,
      LastSeenMs: int,
      ValidUntilMs: int,
      Connected: bool,
      IsOwn: bool,
    },
  ),
);

export const listeners = listOf(
  named(
    'ListenerRecord',
    'An address that the gateway listens on. Port is 0 and Problem says why while it is not open. CertificateNames and ValidUntilMs (0: none) are those of its certificate.',
    {
      Name: text,
      Host: text,
      Port: int,
      HasTls: bool,
      CertificateNames: listOf(text),
      ValidUntilMs: int,
      Problem: text,
      CodedProblem: codedText,
    },
  ),
);

export const hardware = named(
  'MachineRecord',
  "The machine: its model and the kernel's version ('' where unknown), for how many seconds it runs, its temperature in °C (0: no sensor), whether its processor is slowed down and its supply voltage too low, and how much of the life of its card is used up, in percent (0: the card does not report it).",
  {
    Model: text,
    Kernel: text,
    HostName: text,
    UptimeS: int,
    Temperature: Type.Number(),
    IsThrottled: bool,
    HasUndervoltage: bool,
    CardWear: int,
  },
);

export const chipPlan = named(
  'ChipRecord',
  'How this machine declares a chip on I²C: the lines that a file needs. No lines: they are there already, and apply after a reboot. CanWrite: GW_EnableChip can write them.',
  { Device: text, Path: text, Lines: listOf(text), CanWrite: bool },
);

/** Times are unix seconds, 0 means never. Interval is 0 if it is not constant. */
export const timer = Type.Object({
  TimerID: int,
  ParentID: int,
  Name: text,
  Interval: int,
  LastRun: int,
  NextRun: int,
});
export const timers = listOf(timer);

export const eventStatistics = Type.Object({ CyclicUpdateCount: int, TriggerUpdateCount: int });
