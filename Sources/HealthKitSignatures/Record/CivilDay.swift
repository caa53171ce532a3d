/// A day of the Gregorian calendar, also before its time. A calendar of Foundation's would be slower and is
/// not needed: no time zone plays a part.
struct CivilDay {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  // Years begin in March here, so that the leap day is the last of its year, and are counted in cycles of
  // 400, which all have the same number of days. 719,468 days lie between 0000-03-01 and 1970-01-01.

  /// - Parameter daysSince1970: in the years 0 to 9999.
  init(daysSince1970: Int64) {
    let days = daysSince1970 + 719_468
    let cycle = days / 146_097
    let dayOfCycle = days % 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  /// A month or day that the calendar does not have counts on into the next.
  var daysSince1970: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let cycle = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfCycle = marchYear - cycle * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
  }
}
