import CDynamicLoader
import Glibc

/// What lies in memory of the files that the program is: the executable and its libraries.
///
/// The kernel reads in 64 kB around each place that is used and keeps them for the process; of a program that reads its arguments, makes a
/// schema and connects for a moment, and then follows for weeks, most of that is never wanted again.
enum ProgramFiles {
  /// Gives it back, more and more rarely, until it is cancelled. What is used comes back from the files, which the kernel keeps cached
  /// where there is room.
  static func releaseWhatIsNotUsed() async {
    var pause = Duration.seconds(1)
    repeat {
      release()
      pause = min(pause * 2, .seconds(600))
    } while (try? await Task.sleep(for: pause)) != nil
  }

  /// Of each object the segments that nobody may write to, at any time: what the loader fills in and protects then is none of them. The
  /// loader lets no object come or go meanwhile.
  static func release() {
    _ = dl_iterate_phdr(
      { object, _, _ in
        guard let object = object?.pointee, let segments = object.dlpi_phdr else { return 0 }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        for segment in UnsafeBufferPointer(start: segments, count: Int(object.dlpi_phnum)) {
          guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { continue }
          let begin = UInt(object.dlpi_addr + segment.p_vaddr)
          let start = begin / page * page
          madvise(
            UnsafeMutableRawPointer(bitPattern: start), Int(begin + UInt(segment.p_memsz) - start),
            MADV_DONTNEED)
        }
        return 0
      }, nil)
  }
}
