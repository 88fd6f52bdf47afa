/** `profiles` and `tree` of a `gateway.yaml` that uses every key of an entry; for the simulated board. */
export const FULL_CONFIG = `profiles:
  Lamp: { type: boolean, associations: [{ value: false, name: dark }, { value: true, name: bright, icon: Bulb }] }
  Litres:
    type: float
    icon: Drops
    prefix: about
    suffix: " l"
    min: 0
    max: 500
    step: 0.5
    digits: 1
    associations: [{ value: 0, name: none, color: "#ff0000" }]
tree:
  - category: House
    ident: house
    info: The only one
    children:
      - instance: Lamp
        ident: lamp
        module: GPIO Output
        properties: { Line: RELAY1, Boot: inactive }
        variables:
          STATE:
            name: Lamp is on
            icon: Bulb
            profile: Lamp
            archive: true
            children:
              - { link: Also here, ident: also, target: house/target }
      - { variable: Water, ident: water, position: 40, type: float, value: 3.5, archive: { type: counter, ignoreZeros: true, compaction: [{ months: 24, to: delete }, { months: 1, to: hour }] }, profile: Litres, action: false }
      - { variable: Target, ident: target, type: float, value: 20, action: house/rules, hidden: true, residents: set }
      - script: Rules
        ident: rules
        text: |
          print(1);
        children:
          - { event: Timer, ident: timer, cyclic: { everyMin: 5 } }
      - event: Leak
        ident: leak
        trigger: { variable: house/water, on: above, value: 100 }
        limit: 3
        conditions:
          - any:
              - { variable: house/water, is: atLeast, value: 2 }
              - { variable: house/water, is: above, than: house/target }
              - { date: 12-24 }
              - none: [{ time: "06:30", is: below }, { weekday: sunday }]
        script: print('leak')
      - event: Week
        ident: week
        schedule:
          actions:
            - { name: warm, color: "#ff8800", script: print(1) }
            - { name: cold, id: 7, action: { name: Set a variable, target: house/target, value: 16 } }
          groups:
            - { days: [monday, tuesday, wednesday, thursday, friday], points: [{ at: "06:00", action: warm }, { at: "22:15", action: 7 }] }
            - { days: [saturday, sunday], points: [{ at: "09:00", action: cold }] }
      - event: Last Monday of every second month
        ident: first
        cyclic: { everyH: 2, from: "08:00", to: "20:00", everyMonths: 2, days: [monday], nth: 5, firstDay: 2026-02-01, lastDay: 2030-12-31 }
        script: print(2)
        active: false
      - { event: Once, ident: once, cyclic: { at: "12:00", date: 2030-01-01 }, script: print(3), disabled: true }
      - { event: Every year, ident: yearly, cyclic: { at: "07:00:30", month: 3, dayOfMonth: 31 }, script: print(4) }
      - { event: Every third day, ident: third, cyclic: { everyS: 90, everyDays: 3 }, action: { name: Run a text as a script, script: print(5), target: house/target } }
      - { event: Every second Tuesday, ident: tuesday, cyclic: { at: "07:00", everyWeeks: 2, days: [tuesday] }, action: { name: Run a script, target: house/rules } }
      - { media: Plan, ident: plan, type: image, file: media/plan.png, cached: true, icon: Image }
      - { media: Camera, ident: camera, type: stream, file: "http://camera.local/stream" }
      - instance: Plug
        ident: plug
        module: MQTT Device
        connection: broker
        properties: { Topics: [{ Ident: POWER, Type: float, StateTopic: plug/power, Profile: ~Watt }] }
        variables: { POWER: { archive: { graph: false } } }
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:1", UserName: me, Password: hunter2 }
`;
