// The types that can be added by hand, in groups for the form.

import { typeName } from "./names.js";

const frequent = [
  "bodyMass", "bloodPressure", "bodyTemperature", "heartRate", "bloodGlucose", "oxygenSaturation",
  "dietaryWater", "sleepAnalysis", "mindfulSession", "workout", "menstrualFlow",
];

const symptoms = [
  "abdominalCramps", "acne", "appetiteChanges", "bladderIncontinence", "bloating", "breastPain",
  "chestTightnessOrPain", "chills", "constipation", "coughing", "diarrhea", "dizziness", "drySkin",
  "fainting", "fatigue", "fever", "generalizedBodyAche", "hairLoss", "headache", "heartburn",
  "hotFlashes", "lossOfSmell", "lossOfTaste", "lowerBackPain", "memoryLapse", "moodChanges", "nausea",
  "nightSweats", "pelvicPain", "rapidPoundingOrFlutteringHeartbeat", "runnyNose", "shortnessOfBreath",
  "sinusCongestion", "skippedHeartbeat", "sleepChanges", "soreThroat", "vaginalDryness", "vomiting",
  "wheezing",
];

/**
 * The types under headings, each type once.
 * @returns {[string, object[]][]}
 */
export function groupedTypes(types) {
  const ofNames = (names) => names.map((name) => types.find((each) => each.type === name)).filter(Boolean);
  const byName = (all) => all.sort((a, b) => typeName(a.type).localeCompare(typeName(b.type)));
  const groups = [["Frequent", ofNames(frequent)], ["Symptoms", byName(ofNames(symptoms))]];
  const grouped = new Set(groups.flatMap(([, all]) => all));
  groups.push(["All others", byName(types.filter((each) => !grouped.has(each)))]);
  return groups.filter(([, all]) => all.length);
}
