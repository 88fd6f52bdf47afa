import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { DoctorCheck, MachineRecord } from '../../../../client/generated/records.js';
import { formatDate, formatNumber } from '../../../web/format.js';
import { errorText, useApp } from '../../app.js';
import { words } from '../../i18n/console-texts.js';
import { checkName, sentence } from '../../i18n/gateway-texts.js';
import { systemTexts } from '../../i18n/system.js';
import { type Loaded, useLoaded } from '../../load.js';
import { LoadedView } from '../../parts/loaded-view.js';
import { ChipButton, ChipForm } from './chip-setup.js';
import { RestartButton } from '../restart-button.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** A certificate that expires this soon is marked, ms. */
const SOON_MS = 14 * DAY_S * 1000;

/** The machine, the addresses that the gateway listens on, and the checks of `stellwerk doctor`. */
export function MachineView() {
  const { machine: text } = systemTexts();
  return (
    <div class="sections">
      <Facts />
      <h2>{text.listeners}</h2>
      <Listeners />
      <h2>{text.doctor}</h2>
      <Doctor />
      <h2>{text.chips}</h2>
      <ChipForm />
      <h2>{text.restart}</h2>
      <p>
        <RestartButton />
      </p>
    </div>
  );
}

function Facts() {
  const app = useApp();
  const { machine: text } = systemTexts();
  const { state } = useLoaded(async () => {
    const [machine, version, started, space, memory] = await Promise.all([
      app.call('GW_GetMachine'),
      app.call('GW_GetVersion'),
      app.call('SVC_GetKernelStartTime'),
      app.call('SVC_GetKernelDirSpace'),
      app.call('Sys_GetMemoryInfo'),
    ]);
    return { machine, version, started, space, memory };
  }, []);
  return (
    <LoadedView state={state}>
      {({ machine, version, started, space, memory }) => (
        <dl class="facts">
          <Fact name={text.version}>{version}</Fact>
          <Fact name={text.started}>{app.moment(started * 1000)}</Fact>
          {machine.Model !== '' && <Fact name={text.model}>{machine.Model}</Fact>}
          <Fact name={text.host}>{machine.HostName}</Fact>
          <Fact name={text.kernel}>{machine.Kernel}</Fact>
          <Fact name={text.uptime}>
            {machine.UptimeS < HOUR_S
              ? text.lessThanAnHour
              : text.duration(
                  Math.floor(machine.UptimeS / DAY_S),
                  Math.floor((machine.UptimeS % DAY_S) / HOUR_S),
                )}
          </Fact>
          {machine.Temperature !== 0 && <Fact name={text.temperature}>{temperatureText(machine)}</Fact>}
          {machine.HasUndervoltage && <Fact name={text.power}>{text.lowVoltage}</Fact>}
          {machine.CardWear !== 0 && <Fact name={text.wear}>{text.worn(String(machine.CardWear))}</Fact>}
          <Fact name={text.memory}>
            {text.free(byteText(memory.AVAILPHYSICAL), byteText(memory.TOTALPHYSICAL))}
          </Fact>
          <Fact name={text.disk}>{text.free(byteText(space.Free), byteText(space.Total))}</Fact>
          <Fact name={text.data}>{byteText(space.Used)}</Fact>
        </dl>
      )}
    </LoadedView>
  );
}

function temperatureText({ Temperature, IsThrottled }: MachineRecord): string {
  const degrees = `${formatNumber(Temperature, 1)} °C`;
  return IsThrottled ? systemTexts().machine.slowed(degrees) : degrees;
}

function byteText(bytes: number): string {
  return bytes < GIB ? `${formatNumber(bytes / MIB, 1)} MiB` : `${formatNumber(bytes / GIB, 1)} GiB`;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Listeners() {
  const app = useApp();
  const { machine: text } = systemTexts();
  const { state } = useLoaded(() => app.call('GW_GetListeners'), []);
  return (
    <LoadedView state={state}>
      {(listeners) => (
        <ul class="cards">
          {listeners.map(
            ({ Name, Host, Port, HasTls, CertificateNames, ValidUntilMs, Problem, CodedProblem }) => (
              <li
                key={Name}
                class={
                  Problem !== ''
                    ? 'failed'
                    : HasTls && ValidUntilMs - app.gateway.now() < SOON_MS
                      ? 'warning'
                      : ''
                }
              >
                <strong>{`${Name} · ${Host}${Port === 0 ? '' : `:${Port}`}`}</strong>
                {Problem !== '' && <span class="problem">{sentence(CodedProblem)}</span>}
                {HasTls ? (
                  <>
                    <span>
                      {text.validUntil(formatDate(ValidUntilMs, app.gateway.model.timezone, 'short'))}
                    </span>
                    <small>{text.certificateFor(CertificateNames.join(', '))}</small>
                  </>
                ) : (
                  Problem === '' && <small>{text.noTls}</small>
                )}
              </li>
            ),
          )}
        </ul>
      )}
    </LoadedView>
  );
}

function Doctor() {
  const app = useApp();
  const { machine: text } = systemTexts();
  const { overview } = words();
  const isBusy = useSignal(false);
  const result = useSignal<Loaded<readonly DoctorCheck[]>>(undefined);
  const run = async () => {
    isBusy.value = true;
    result.value = await app.call('GW_RunDoctor').then(
      (value) => ({ value }),
      (thrown: unknown) => ({ error: errorText(thrown) }),
    );
    isBusy.value = false;
  };
  return (
    <>
      <p class="soft">{text.doctorHint}</p>
      <p class="row-head">
        <button class="plain" type="button" disabled={isBusy.value} onClick={() => void run()}>
          {text.runDoctor}
        </button>
        <span role="status">{isBusy.value ? text.running : ''}</span>
      </p>
      {result.value !== undefined && (
        <LoadedView state={result}>
          {(checks) => (
            <ul class="cards">
              {checks.map(({ Name, State, CodedText, WhatToDo, CodedWhatToDo, Chips }) => (
                <li key={Name} class={State === 'ok' ? '' : State}>
                  <strong>{`${checkName(Name)}: ${overview.states[State]}`}</strong>
                  <span class="lines">{sentence(CodedText)}</span>
                  {WhatToDo !== '' && (
                    <small class="lines">{`${overview.whatToDo}: ${sentence(CodedWhatToDo)}`}</small>
                  )}
                  {Chips.length > 0 && (
                    <span class="row-head">
                      {Chips.map((device) => (
                        <ChipButton key={device} device={device} />
                      ))}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </LoadedView>
      )}
    </>
  );
}
