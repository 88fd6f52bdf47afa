import type { PropertyProblem } from '../../../client/generated/records.js';
import { words } from '../i18n/console-texts.js';
import { formElements, propertyProblem } from '../i18n/gateway-texts.js';
import { type Choices, propertiesOfChoice } from './choices.js';
import { Field } from './field.js';
import { type FormElement, groupsOf, type Properties } from './form-element.js';
import { Problem } from '../parts/problem.js';

interface PropertyFieldsProps {
  /** The name of the module. */
  readonly module: string;
  readonly elements: readonly FormElement[];
  readonly values: Properties;
  readonly choices: Choices;
  readonly problems: readonly PropertyProblem[];
  readonly onChange: (values: Properties) => void;
}

/** The fields of a form by their groups; those that few users need are below, on request. */
export function PropertyFields(props: PropertyFieldsProps) {
  const { module } = props;
  const problems = props.problems.map((found) => ({ ...found, Text: propertyProblem(found, module) }));
  const elements = formElements(module, props.elements);
  const names = new Set(elements.map(({ name }) => name));
  const advanced = elements.filter((element) => element.advanced === true);
  const isWrong = advanced.some(({ name }) => problems.some(({ Property }) => Property === name));
  return (
    <>
      {problems
        .filter(({ Property }) => !names.has(Property))
        .map(({ Text }) => (
          <Problem key={Text} text={Text} />
        ))}
      <Groups {...props} problems={problems} shown={elements.filter(({ advanced }) => advanced !== true)} />
      {advanced.length > 0 && (
        <details class="advanced" open={isWrong || undefined}>
          <summary>{words().settings.advanced}</summary>
          <Groups {...props} problems={problems} shown={advanced} />
        </details>
      )}
    </>
  );
}

interface GroupsProps extends PropertyFieldsProps {
  readonly shown: readonly FormElement[];
}

function Groups({ elements, shown, values, choices, problems, onChange }: GroupsProps) {
  const change = (element: FormElement, value: unknown) => {
    const offered = choices.get(element.source ?? '') ?? [];
    const others = propertiesOfChoice(value, offered, elements);
    onChange({ ...values, ...others, [element.name]: value });
  };
  return (
    <>
      {groupsOf(shown).map(([group, members]) => (
        <fieldset key={group} class="fields">
          {group !== '' && <legend>{group}</legend>}
          {members.map((element) => (
            <Field
              key={element.name}
              element={element}
              value={values[element.name]}
              choices={choices}
              found={problems.find(({ Property }) => Property === element.name)}
              onChange={(value) => change(element, value)}
            />
          ))}
        </fieldset>
      ))}
    </>
  );
}
