/// Definitions of the figures of `hrgate zones`, one line each, by JSON name.
enum ZonesDefinitions {
  static let lines = [
    "known: the seconds in which the heart rate is known; a rate holds until the next one, at most ten seconds",
    "zones: the seconds in each zone; a rate is in the zone with the highest bound that it reaches, and below all in zone 0",
    "zones of --maximum: from 50, 60, 70, 80 and 90 percent of it",
    "zones of --maximum and --resting: from 50, 60, 70, 80 and 90 percent of the reserve between the two, above rest (Karvonen 1957)",
    "zones of --bounds: from those rates",
    "edwards: minutes in each tenth of the maximum from 50 percent on, times 1 to 5, added up (Edwards 1993); of the maximum, whatever the zones are of",
    "banister: minutes times x times 0.64 e^(1.92 x) for men or 0.86 e^(1.67 x) for women, x the part of the reserve in use, added up reading by reading (Banister 1991 took the session's mean)",
  ]
}
