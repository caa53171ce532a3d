/// The priority of a journal entry, numbered as in syslog(3).
public enum JournalPriority: Int, Hashable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case information = 6
}
