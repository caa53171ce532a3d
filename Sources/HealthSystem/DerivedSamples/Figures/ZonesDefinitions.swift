/// Definitions of the values of `hrgate zones`, one line each, by JSON name. The command line and the page
/// show them.
package enum ZonesDefinitions {
  package static let lines = [
    "known: the seconds with a known heart rate; a rate holds until the next one, at most ten seconds",
    "zones: the seconds in each zone; a rate belongs to the zone with the highest bound that it reaches, or to zone 0",
    "zones with --maximum: bounds at 50, 60, 70, 80 and 90 percent of the maximum",
    "zones with --maximum and --resting: bounds at 50, 60, 70, 80 and 90 percent of the heart-rate reserve, above the resting rate (Karvonen 1957)",
    "zones with --bounds: bounds at these rates",
    "edwards: minutes in each tenth of the maximum from 50 percent on, times 1 to 5, summed (Edwards 1993); always of the maximum, whatever the bounds are",
    "banister: minutes times x times 0.64 e^(1.92 x) for men or 0.86 e^(1.67 x) for women, where x is the fraction of the heart-rate reserve, summed for each reading (Banister 1991 used the session's mean)",
  ]
}
