import type { Locator, Page } from 'playwright-core';

/** How a user of a test presses controls and enters texts. */
export interface Hand {
  press(target: Locator): Promise<void>;
  /** Replaces the text of a field. */
  enter(field: Locator, text: string): Promise<void>;
  /** Chooses the first option of a list below a field that has the focus. */
  choose(option: Locator): Promise<void>;
}

/** A finger on a touch screen. Texts come from the on-screen keyboard, after a tap. */
export function finger(page: Page): Hand {
  const press = async (target: Locator) => {
    // It must be visible, and nothing may cover it. What the tap opens or closes may then do so.
    await target.tap({ trial: true });
    const box = await target.boundingBox();
    if (box === null) throw new Error(`${target.toString()} is not visible`);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  };
  return {
    press,
    async enter(field, text) {
      await press(field);
      await field.fill(text);
    },
    choose: press,
  };
}

/** A mouse, with a keyboard for texts. */
export function mouse(): Hand {
  const press = (target: Locator) => target.click();
  return {
    press,
    async enter(field, text) {
      await press(field);
      await field.fill(text);
    },
    choose: press,
  };
}

/** Stops of the Tab key on a page until a control. */
const MAX_STOPS = 150;

/** Where the focus is, seen from a control: on it, in its group, or before or after it in the document. */
const whereIsFocus = (target: Locator): Promise<'here' | 'group' | 'before' | 'after'> =>
  target.evaluate((one) => {
    const root = one.getRootNode();
    if (one.contains(root.activeElement)) return 'here';
    const focused = one.ownerDocument.activeElement ?? one.ownerDocument.body;
    if (one.closest('[role=tablist], fieldset.kinds')?.contains(focused) === true) return 'group';
    // Editors are in a shadow tree.
    return ((root.host ?? one).compareDocumentPosition(focused) & one.DOCUMENT_POSITION_FOLLOWING) === 0
      ? 'before'
      : 'after';
  });

/** A keyboard without a pointer: Tab and the arrows lead to a control, Enter or Space press it. */
export function keyboard(page: Page): Hand {
  const walkTo = async (target: Locator) => {
    await target.waitFor();
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      const where = await whereIsFocus(target);
      if (where === 'here') return;
      if (where === 'group') await page.keyboard.press('ArrowRight');
      else await page.keyboard.press(where === 'before' ? 'Tab' : 'Shift+Tab');
    }
    throw new Error(`the keyboard does not lead to ${target.toString()}`);
  };
  return {
    async press(target) {
      await walkTo(target);
      const isRadio = await target.evaluate((one) => one.matches('[type=radio]'));
      await page.keyboard.press(isRadio ? 'Space' : 'Enter');
    },
    async enter(field, text) {
      await walkTo(field);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
    },
    choose: () => page.keyboard.press('Enter'),
  };
}
