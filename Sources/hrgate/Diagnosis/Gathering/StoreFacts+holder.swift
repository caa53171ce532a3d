import Foundation

extension StoreFacts.Holder {
  /// Creates a holder from a process ID. Every user can read the name from the kernel.
  public init(process: Int32, root: String = "/") {
    let name = try? String(contentsOfFile: "\(root)proc/\(process)/comm", encoding: .utf8)
    self.init(process: process, program: name.map { String($0.prefix { $0 != "\n" }) })
  }
}
