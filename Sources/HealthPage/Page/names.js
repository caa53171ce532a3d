// Names of types, units and states for readers.

const typeNames = {
  heartRate: "Heart rate", heartbeatSeries: "Beats", restingHeartRate: "Resting heart rate",
  walkingHeartRateAverage: "Walking heart rate", heartRateVariabilitySDNN: "Heart-rate variability (SDNN)",
  heartRateRecoveryOneMinute: "Heart-rate recovery, one minute", activeEnergyBurned: "Active energy",
  basalEnergyBurned: "Resting energy", stepCount: "Steps", bodyMass: "Weight", height: "Height",
  bodyMassIndex: "Body-mass index", oxygenSaturation: "Blood oxygen", sleepAnalysis: "Sleep",
  workout: "Workouts",
  distanceWalkingRunning: "Walking and running distance", vo2Max: "VO₂ max",
  electrocardiogram: "Electrocardiograms",
  dateOfBirth: "Date of birth", biologicalSex: "Sex", bloodType: "Blood type",
  fitzpatrickSkinType: "Skin type",
  wheelchairUse: "Wheelchair", activityMoveMode: "Move goal in", appleExerciseTime: "Exercise time",
  appleStandTime: "Stand time", appleStandHours: "Stand hours", appleMoveTime: "Move time",
};

/**
 * The command line's name of a type: "heartRate" for "HKQuantityTypeIdentifierHeartRate" (TypeName.swift). A
 * name stays unchanged.
 */
export function shortType(identifier) {
  const name = identifier
    .replace(/^HK(\w+TypeIdentifier(?=.)|DataType|)/, "").replace(/TypeIdentifier$/, "");
  if (name === identifier) return identifier;
  // Leading capitals are one word: "UVExposure" is "uvExposure".
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (word) => word.toLowerCase());
}

/** The name of a type for readers; by default its identifier as words. */
export function typeName(identifier) {
  const type = shortType(identifier);
  if (Object.hasOwn(typeNames, type)) return typeNames[type];
  const words = type.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  const text = words.split(" ").map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of a type within a sentence. */
export function typeNameInside(type) {
  const name = typeName(type);
  return /^[A-Z]{2,}|^VO/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

/** Replaces HealthKit's identifiers of types in a message of the server with the names of the types. */
export function withTypeNames(message) {
  return message.replace(/\bHK(?:[A-Za-z]+TypeIdentifier\w*|DataType\w+)/g, typeNameInside);
}

const unitNames = {
  "count/min": "a minute", "count/s": "a second", count: "", degC: "°C", degF: "°F", mcg: "µg",
  "mL/min·kg": "ml/(kg·min)", "kcal/hr·kg": "kcal/(kg·h)", hr: "h", "km/hr": "km/h", "mi/hr": "mph",
  fl_oz_us: "fl oz (US)", fl_oz_imp: "fl oz (imperial)", cup_us: "cups (US)", cup_imp: "cups (imperial)",
  pt_us: "pints (US)", pt_imp: "pints (imperial)", cmAq: "cmH₂O",
};
const heartTypes = /heartrate|heart_rate|^restingHeart|^walkingHeart/i;

/** The unit after a number: "beats a minute", "kJ"; empty for a count that needs no unit. */
export function unitName(unit, type) {
  if (unit === "count/min" && type && heartTypes.test(type)) return "beats a minute";
  if (!unit) return "";
  // HealthKit's unit for an amount of a substance contains the molar mass, which is not shown.
  if (/^mmol<[\d.]+>\/L$/.test(unit)) return "mmol/l";
  return Object.hasOwn(unitNames, unit) ? unitNames[unit] : unit;
}

const unitDigits = {
  "count/s": 2, ft: 2, st: 2, L: 2, "m/s": 2,
  "count/min": 0, count: 0, ms: 0, s: 0, min: 0, J: 0, kJ: 0, cal: 0, Cal: 0, kcal: 0, mL: 0, W: 0, mmHg: 0,
  "mg/dL": 0,
};
/** Number of decimal digits of types whose unit does not determine it. */
const typeDigits = { oxygenSaturation: 0, bloodAlcoholContent: 2, bodyMassIndex: 1 };
/** Types in seconds with values below a second. */
const subsecondTypes = ["heartRateVariabilitySDNN", "runningGroundContactTime"];

/** The number of decimal digits; 1 for an unknown unit, as in `hrgate stats`. */
export function digitsFor(unit, type) {
  if (unit === "s" && subsecondTypes.includes(type)) return 3;
  if (Object.hasOwn(typeDigits, type)) return typeDigits[type];
  return Object.hasOwn(unitDigits, unit) ? unitDigits[unit] : unit ? 1 : 0;
}

const stateNames = {
  "bus-absent": "no D-Bus", "bluetoothd-absent": "bluetoothd is not running",
  "bluetoothd-unresponsive": "bluetoothd does not answer", "not-permitted": "not permitted",
  "adapter-absent": "no Bluetooth adapter", "adapter-off": "Bluetooth is off",
  "adapter-blocked": "Bluetooth is blocked",
  searching: "looking for it", away: "out of reach", connecting: "connecting", resolving: "connecting",
  subscribing: "connecting", following: "connected", silent: "connected, silent", frozen: "does not answer",
  "stale-cache": "must be paired again", "bond-lost": "must be paired again",
  "pairing-needed": "must be paired",
  "taken-by-another": "taken by another program", "timing-refused": "cannot keep a connection",
  unusable: "no heart-rate monitor", stopped: "not recorded",
};

/** A monitor's state as text; the state itself if it is unknown here. */
export function stateName(state) {
  if (!state) return "not recorded";
  return Object.hasOwn(stateNames, state) ? stateNames[state] : state.replaceAll("-", " ");
}

const refusals = {
  "low-coverage": "too few beats", "too-many-artefacts": "too many artifacts",
  "more-beats-than-time": "beats overlap",
  "window-too-short": "the window is too short",
  "window-too-long": "only for shorter times",
};

/** The reason why a figure is missing, as text. */
export function refusalName(word) {
  return Object.hasOwn(refusals, word) ? refusals[word] : String(word).replaceAll("-", " ");
}

const choiceNames = { asleepUnspecified: "Asleep", asleepCore: "Core", asleepDeep: "Deep", asleepREM: "REM" };

/** A word of the API as text: "aPositive" is "A positive". */
export function choiceName(word) {
  if (Object.hasOwn(choiceNames, word)) return choiceNames[word];
  // A Roman numeral, as in skin types.
  if (/^[IVX]+$/i.test(word)) return String(word).toUpperCase();
  const text = String(word).replace(/^(a|b|o|ab)(Positive|Negative)$/i, (_, group, sign) =>
    `${group.toUpperCase()} ${sign.toLowerCase()}`);
  if (text !== word) return text;
  const words = text.replace(/([a-z])([A-Z0-9])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
