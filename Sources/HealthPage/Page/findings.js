// Findings of electrocardiograms and doses of medications, in words.

import { plain } from "./dom.js";
import { count, moment, number } from "./format.js";
import { choiceName } from "./names.js";

export function electrocardiogramText({ classification, averageHeartRate }) {
  const rate = averageHeartRate && `${number(averageHeartRate)} beats a minute on average`;
  return [choiceName(classification), rate].filter(Boolean).join(", ");
}

export function doseText({ name, status, quantity, unit }) {
  const amount = typeof quantity === "number"
    && `${number(quantity, 2)} ${unit === "count" ? "" : unit}`.trim();
  return [name && plain(name), amount, choiceName(status)].filter(Boolean).join(", ");
}

/** The findings of an electrocardiogram, or the schedule of a dose. */
export function findingRows({ electrocardiogram, dose }) {
  if (electrocardiogram) {
    const { symptoms, samplingFrequency, voltages } = electrocardiogram;
    const pace = samplingFrequency ? `, ${number(samplingFrequency)} Hz` : "";
    return [["Symptoms", symptoms ? choiceName(symptoms) : "Not known"],
      ["Recording", `${count(voltages, "voltage")}${pace}`]];
  }
  if (!dose) return [];
  const scheduled = dose.scheduled && [moment(dose.scheduled), dose.scheduledQuantity !== undefined
    && number(dose.scheduledQuantity, 2)].filter(Boolean).join(", ");
  return [["Medication", dose.medication], ["Scheduled", scheduled || "As needed"]];
}
