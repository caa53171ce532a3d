// The units that a menu offers for a type, in the order in which readers expect them.

/** Units that measure the same, the more common ones first. Units that are not listed come last. */
const usualOrder = [
  "kg", "lb", "st", "g", "oz", "mg", "mcg", "km", "mi", "m", "yd", "ft", "cm", "in", "mm",
  "mL", "L", "fl_oz_us", "cup_us", "pt_us", "fl_oz_imp", "cup_imp", "pt_imp", "kcal", "kJ",
  "hr", "min", "s", "ms", "mmHg", "kPa", "cmAq", "degC", "degF", "count/min", "count/s",
  "km/hr", "mi/hr", "m/s", "mg/dL",
];

/** Units that are not offered for types whose values they do not suit: "0.05 h" is no variability. */
const unsuited = [
  [/^(bodyMass|leanBodyMass)$/, ["g", "oz", "mg", "mcg"]],
  [/^dietary/, ["kg", "lb", "st"]],
  [/^(height|waistCircumference)$/, ["km", "mi", "yd", "mm"]],
  [/^distance|^sixMinuteWalk/, ["cm", "in", "mm"]],
  [/StepLength$|StrideLength$/, ["km", "mi", "yd", "mm"]],
  [/^(heartRateVariabilitySDNN|runningGroundContactTime)$/, ["hr", "min"]],
  [/^apple\w*Time$/, ["s", "ms"]],
  [/^bloodPressure/, ["cmAq"]],
];

/**
 * Returns the choices of a menu.
 * @param {string} type The short name of the type.
 * @param {string[]} choices The units of the server, of which `unit` is the one in use. It always stays.
 */
export function unitChoices(type, choices, unit) {
  const left = unsuited.filter(([types]) => types.test(type)).flatMap(([, units]) => units);
  const place = (each) => (usualOrder.includes(each) ? usualOrder.indexOf(each) : usualOrder.length);
  return choices.filter((each) => each === unit || !left.includes(each))
    .toSorted((a, b) => place(a) - place(b));
}
