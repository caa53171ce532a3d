import Foundation

/// The user's home folder, as the shell and the XDG Base Directory Specification have it: `$HOME`. Foundation
/// asks the list of users alone.
package enum HomeFolder {
  package static var path: String {
    let given = ProcessInfo.processInfo.environment["HOME"]
    return given.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
  }
}
