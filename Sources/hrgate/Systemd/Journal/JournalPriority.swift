/// How grave an entry of the journal is, as syslog(3) numbers it.
public enum JournalPriority: Int, Hashable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case information = 6
}
