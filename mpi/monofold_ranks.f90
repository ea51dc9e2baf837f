!> monofold_ranks: exact sums, means and dot products, extrema, over the ranks of an MPI communicator.
!>
!> Every rank calls with its own part of an array, which may be empty, and gets the answer for all parts: the exact
!> value, rounded once, so that neither the number of ranks nor how they share the array changes a bit of it.
!>
!> `comm` is a communicator of the module mpi; of mpi_f08 it is comm%mpi_val. `status` takes 0, or what monofold.h
!> names (1: no items). Without it a call that has no answer ends the program. Each call is collective.
!> tested by tests/mpi/fortran_check.f90
module monofold_ranks
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t, c_loc, &
                                         c_null_ptr, c_ptr, c_signed_char
  implicit none
  private
  public :: mf_sum, mf_mean, mf_norm2, mf_min, mf_max, mf_dot, mf_sum_fields

  !> mf_sum(comm, x [, status]): x of type real(c_float) or real(c_double), of rank 1; the others likewise.
  interface mf_sum
    module procedure sum_of_doubles, sum_of_floats
  end interface
  interface mf_mean
    module procedure mean_of_doubles, mean_of_floats
  end interface
  interface mf_norm2
    module procedure norm2_of_doubles, norm2_of_floats
  end interface
  !> mf_min(comm, x [, status, place]): `place` is where the first such item is, from 1 on, through all ranks.
  interface mf_min
    module procedure min_of_doubles, min_of_floats
  end interface
  interface mf_max
    module procedure max_of_doubles, max_of_floats
  end interface
  !> mf_dot(comm, x, y [, status])
  interface mf_dot
    module procedure dot_of_doubles, dot_of_floats
  end interface

  integer(c_int32_t), parameter :: op_sum = 1, op_mean = 3, op_argmin = 9, op_argmax = 10, op_norm2 = 17
  integer(c_int32_t), parameter :: float32 = 11, float64 = 12

  interface
    function c_reduce(comm, items, dtype, count, operation, value, place) result(code) &
        bind(c, name="monofold_fortran_reduce")
      import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: items
      integer(c_int32_t), value :: dtype, operation
      integer(c_int64_t), value :: count
      real(c_double), intent(inout) :: value
      integer(c_int64_t), intent(inout) :: place
      integer(c_int32_t) :: code
    end function
    function c_dot(comm, left, right, dtype, count, value) result(code) &
        bind(c, name="monofold_fortran_dot")
      import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: left, right
      integer(c_int32_t), value :: dtype
      integer(c_int64_t), value :: count
      real(c_double), intent(inout) :: value
      integer(c_int32_t) :: code
    end function
    function c_sum_fields(comm, items, count, num_fields, weights, mask, sums) result(code) &
        bind(c, name="monofold_fortran_sum_fields")
      import :: c_double, c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: items, weights, mask
      integer(c_int64_t), value :: count, num_fields
      real(c_double), intent(inout) :: sums(*)
      integer(c_int32_t) :: code
    end function
  end interface

contains

  !> sums(j) = the exact sum of x(:, j), times weights where they are given, over all ranks: one message.
  subroutine mf_sum_fields(comm, x, sums, weights, mask, status)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:, :)
    real(c_double), intent(inout) :: sums(:)
    real(c_double), intent(in), contiguous, target, optional :: weights(:)
    logical, intent(in), optional :: mask(:)
    integer, intent(out), optional :: status
    integer(c_signed_char), allocatable, target :: kept(:)
    real(c_double) :: found(size(x, 2))
    type(c_ptr) :: at_weights, at_mask
    integer(c_int32_t) :: code
    integer(c_int64_t) :: count
    count = size(x, 1, kind=c_int64_t)
    at_weights = c_null_ptr
    at_mask = c_null_ptr
    if (present(weights)) then
      if (size(weights) /= size(x, 1)) count = -1
      at_weights = place_of(weights)
    end if
    if (present(mask)) then
      if (size(mask) /= size(x, 1)) count = -1
      allocate (kept(max(1, size(mask))))
      kept(:size(mask)) = merge(1_c_signed_char, 0_c_signed_char, mask)
      at_mask = c_loc(kept)
    end if
    if (size(sums) /= size(x, 2)) count = -1
    code = c_sum_fields(comm, place_of_fields(x), count, size(x, 2, kind=c_int64_t), at_weights, &
                        at_mask, found)
    if (code == 0) sums = found
    call end_call(code, "mf_sum_fields", status)
  end subroutine

  !> c_loc takes no array without items; there is always something at its address in C.
  function place_of(x) result(place)
    real(c_double), intent(in), contiguous, target :: x(:)
    real(c_double), save, target :: nothing = 0
    type(c_ptr) :: place
    place = c_loc(nothing)
    if (size(x) > 0) place = c_loc(x)
  end function
  function place_of_fields(x) result(place)
    real(c_double), intent(in), contiguous, target :: x(:, :)
    type(c_ptr) :: place
    place = c_null_ptr
    if (size(x) > 0) place = c_loc(x)
  end function
  function place_of_floats(x) result(place)
    real(c_float), intent(in), contiguous, target :: x(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (size(x) > 0) place = c_loc(x)
  end function

  subroutine end_call(code, name, status)
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: name
    integer, intent(out), optional :: status
    if (present(status)) then
      status = int(code)
    else if (code /= 0) then
      write (*, '(3a, i0)') "monofold: ", name, ": no answer: status ", code
      error stop 1
    end if
  end subroutine

  function reduced(comm, operation, items, dtype, count, name, status, place) result(value)
    integer, intent(in) :: comm
    integer(c_int32_t), intent(in) :: operation, dtype
    type(c_ptr), intent(in) :: items
    integer(c_int64_t), intent(in) :: count
    character(*), intent(in) :: name
    integer, intent(out), optional :: status
    integer(c_int64_t), intent(out), optional :: place
    real(c_double) :: value
    integer(c_int64_t) :: index
    value = 0
    index = -1
    call end_call(c_reduce(comm, items, dtype, count, operation, value, index), name, status)
    if (present(place)) place = index + 1
  end function

  function sum_of_doubles(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_sum, place_of(x), float64, size(x, kind=c_int64_t), "mf_sum", status)
  end function
  function sum_of_floats(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_sum, place_of_floats(x), float32, size(x, kind=c_int64_t), "mf_sum", status)
  end function

  function mean_of_doubles(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_mean, place_of(x), float64, size(x, kind=c_int64_t), "mf_mean", status)
  end function
  function mean_of_floats(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_mean, place_of_floats(x), float32, size(x, kind=c_int64_t), "mf_mean", status)
  end function

  function norm2_of_doubles(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_norm2, place_of(x), float64, size(x, kind=c_int64_t), "mf_norm2", status)
  end function
  function norm2_of_floats(comm, x, status) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    value = reduced(comm, op_norm2, place_of_floats(x), float32, size(x, kind=c_int64_t), "mf_norm2", status)
  end function

  function min_of_doubles(comm, x, status, place) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), intent(out), optional :: place
    real(c_double) :: value
    value = reduced(comm, op_argmin, place_of(x), float64, size(x, kind=c_int64_t), "mf_min", status, place)
  end function
  function min_of_floats(comm, x, status, place) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), intent(out), optional :: place
    real(c_double) :: value
    value = reduced(comm, op_argmin, place_of_floats(x), float32, size(x, kind=c_int64_t), "mf_min", status, place)
  end function

  function max_of_doubles(comm, x, status, place) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), intent(out), optional :: place
    real(c_double) :: value
    value = reduced(comm, op_argmax, place_of(x), float64, size(x, kind=c_int64_t), "mf_max", status, place)
  end function
  function max_of_floats(comm, x, status, place) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), intent(out), optional :: place
    real(c_double) :: value
    value = reduced(comm, op_argmax, place_of_floats(x), float32, size(x, kind=c_int64_t), "mf_max", status, place)
  end function

  function dot_of_doubles(comm, x, y, status) result(value)
    integer, intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:), y(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    integer(c_int64_t) :: count
    count = merge(size(x, kind=c_int64_t), -1_c_int64_t, size(x) == size(y))
    value = 0
    call end_call(c_dot(comm, place_of(x), place_of(y), float64, count, value), "mf_dot", status)
  end function
  function dot_of_floats(comm, x, y, status) result(value)
    integer, intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:), y(:)
    integer, intent(out), optional :: status
    real(c_double) :: value
    integer(c_int64_t) :: count
    count = merge(size(x, kind=c_int64_t), -1_c_int64_t, size(x) == size(y))
    value = 0
    call end_call(c_dot(comm, place_of_floats(x), place_of_floats(y), float32, count, value), "mf_dot", &
                  status)
  end function

end module monofold_ranks
